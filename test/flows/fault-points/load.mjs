import { register } from "node:module";

// Loaded with `--import` into each process of a cluster under test. Without FAULT_FILE, the process stays as it is.
if (process.env.FAULT_FILE) register("./hooks.mjs", import.meta.url);
