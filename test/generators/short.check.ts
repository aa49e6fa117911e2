import { describeGenerators } from "./corridor.js";
import { heyApi, python } from "./generators.js";

describeGenerators([python, heyApi]);
