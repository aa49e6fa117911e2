// `tsx tools/copy-image-files.ts WORKSPACE TARGET` copies what the image of a workspace holds besides packages of npm.
import { copyImageFiles } from "./image-files.js";

const [workspace, target] = process.argv.slice(2);
if (!workspace || !target) throw new Error("Usage: tsx tools/copy-image-files.ts WORKSPACE TARGET");
copyImageFiles(workspace, target);
