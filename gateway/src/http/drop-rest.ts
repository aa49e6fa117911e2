import type { Socket } from "node:net";

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 2_000;
const LOOK_MS = 20;

/**
 * Reads and drops what a client still sends of a request that is answered already: closed with unread bytes, the connection
 * would lose the answer, too. Ends it after too many bytes or too long. Returns a function that stops dropping.
 */
export function dropRest(socket: Socket): () => void {
  const read = socket.bytesRead;
  const started = performance.now();
  // Node's HTTP parser reads from below the socket: there are no events to count.
  const timer = setInterval(() => {
    if (socket.bytesRead - read <= MAX_BYTES && performance.now() - started <= MAX_MS) return;
    stop();
    socket.destroy();
  }, LOOK_MS);
  const stop = () => {
    clearInterval(timer);
    socket.off("close", stop);
  };
  socket.once("close", stop);
  return stop;
}
