// Prints which of the given endpoints (host:port) accept a TCP connection, one line each.
import { connect } from "node:net";

function reaches(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3_000 });
    const end = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", () => end("reached"));
    socket.on("timeout", () => end("closed"));
    socket.on("error", () => end("closed"));
  });
}

for (const address of process.argv.slice(1).filter((word) => /:\d+$/.test(word))) {
  const [host, port] = address.split(":");
  process.stdout.write(`${address} ${await reaches(host, Number(port))}\n`);
}
