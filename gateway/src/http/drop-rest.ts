import type { Socket } from "node:net";

const MOST_BYTES = 1024 * 1024;
const LONGEST_MS = 2_000;
const LOOK_MS = 20;

/**
 * Lets a connection take off the wire what a client still sends of a request that has its answer already: closed over unread bytes, it
 * would lose the answer too. Ends it when too much has come, or for too long. Yields what stops the watch.
 */
export function dropRest(socket: Socket): () => void {
  const read = socket.bytesRead;
  const started = performance.now();
  // Node's HTTP parser reads from below the socket: there are no events to count.
  const timer = setInterval(() => {
    if (socket.bytesRead - read <= MOST_BYTES && performance.now() - started <= LONGEST_MS) return;
    stop();
    socket.destroy();
  }, LOOK_MS);
  const stop = () => clearInterval(timer);
  socket.once("close", stop);
  return stop;
}
