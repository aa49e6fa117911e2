import { connect } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { describeEnd, sendingUnderTest } from "../testing/sending.js";
import { createConnections } from "./connections.js";

const { connectionsWith, receiverWith, rawReceiver, post, end } = sendingUnderTest();
afterAll(end);

describe("a connection", () => {
  test("is used again for the next request once the answer is read, and for one request at a time", async () => {
    const answers: (() => void)[] = [];
    const receiver = await receiverWith((response) => answers.push(() => response.writeHead(204).end()));
    const through = connectionsWith();
    const attempts = [post(receiver.url, through), post(receiver.url, through)];
    await eventually(() => expect(answers).toHaveLength(2));
    for (const answer of answers.splice(0)) answer();
    for (const attempted of await Promise.all(attempts)) await attempted.discarded;
    for (let n = 0; n < 3; n++) {
      const attempt = post(receiver.url, through);
      await eventually(() => expect(answers).toHaveLength(1));
      answers.pop()!();
      await (await attempt).discarded;
    }
    expect([receiver.received.length, receiver.connections()]).toEqual([5, 2]);
  });

  test("is not used again after it was reset, and its request is not repeated", async () => {
    const receiver = await receiverWith((response, _received, count) => {
      if (count === 2) response.socket?.resetAndDestroy();
      else response.writeHead(204).end();
    });
    const through = connectionsWith();
    await (await post(receiver.url, through)).discarded;
    expect(await describeEnd(post(receiver.url, through))).toBe("connection_closed");
    expect([receiver.received.length, receiver.connections()]).toEqual([2, 1]);
    expect(await describeEnd(post(receiver.url, through))).toBe("delivered 204");
    expect([receiver.received.length, receiver.connections()]).toEqual([3, 2]);
  });

  test("is not used again after the receiver has closed it while it was idle", async () => {
    let close = () => {};
    const receiver = await receiverWith((response) => {
      const { socket } = response;
      close = () => void socket?.end();
      response.writeHead(204).end();
    });
    const through = connectionsWith();
    for (let n = 1; n <= 3; n++) {
      await (await post(receiver.url, through)).discarded;
      close();
      await eventually(() => expect(receiver.open()).toBe(0));
    }
    expect(receiver.connections()).toBe(3);
  });
});

describe("informational answers, such as 100 Continue", () => {
  test.each([1, 10, 11, 18, 23])(
    "are passed over though their first %d bytes arrive alone, and no other answer is",
    async (bytes) => {
      for (const before of ["HTTP/1.1 100 Continue\r\nA: b\r\n\r\n", ""]) {
        const answer = `${before}HTTP/1.1 204 No Content\r\n\r\n`;
        const url = await rawReceiver(async (socket) => {
          socket.write(answer.slice(0, bytes));
          await eventually(() => expect(near.bytesRead).toBe(bytes));
          socket.write(answer.slice(bytes));
        });
        const near = connect(Number(new URL(url).port), "127.0.0.1");
        const through = createConnections((_target, callback) => near.once("connect", () => callback(null, near)));
        expect(await describeEnd(post(url, through))).toBe("delivered 204");
        near.destroy();
      }
    },
  );

  test("are passed over if they arrive together with others, or with the answer", async () => {
    const url = await rawReceiver((socket) =>
      socket.write("HTTP/1.1 103 \r\nA: b\r\n\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 204 \r\n\r\n"),
    );
    expect(await describeEnd(post(url))).toBe("delivered 204");
  });

  test("end the attempt if one has no end", async () => {
    const url = await rawReceiver((socket) => socket.write(`HTTP/1.1 100 \r\nA: ${"x".repeat(40_000)}`));
    expect(await describeEnd(post(url))).toBe("answer_header_too_large");
  });

  test("are left in place if they switch protocols, because the bytes after them are not HTTP", async () => {
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const url = await rawReceiver((socket) => socket.write(`${upgrade}HTTP/1.1 204 \r\n\r\n`));
    expect(await describeEnd(post(url))).toBe("connection_closed");
  });
});
