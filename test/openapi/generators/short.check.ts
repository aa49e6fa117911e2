import { describeGenerators } from "./corridor.js";
import { short } from "./generators.js";

describeGenerators(short);
