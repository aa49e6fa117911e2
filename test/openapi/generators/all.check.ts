import { describeGenerators } from "./corridor.js";
import { generators, short } from "./generators.js";

describeGenerators(generators.filter((generator) => !short.includes(generator)));
