import { startSimulator } from "./simulator.js";

// node test/carrier/simulator/dist/main.js PORT FILE: it prints its URL, and ends when its standard input does.
const [port, file] = process.argv.slice(2);
if (!port || !file) throw new Error("Usage: main.js PORT FILE");
const { url, stop } = await startSimulator({ port: Number(port), file });
console.log(url);
process.stdin.resume();
process.stdin.on("end", () => void stop());
