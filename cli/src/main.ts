import "@shipping/kit/process/require-node";

// The program of the operator's pod. It only waits: operators run `admin` beside it with kubectl exec.
process.stdout.write("Run commands in this pod: kubectl exec deploy/… -- admin --help\n");
const waiting = setInterval(() => {}, 2 ** 31 - 1);
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => clearInterval(waiting));
