import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { createUnreadBytes } from "./unread-bytes.js";

/** A response of which the client has not read this many bytes. */
function unread(writableLength: number) {
  const socket = { destroyed: false, resetAndDestroy: () => Object.assign(socket, { destroyed: true }) };
  const state = { writableLength, destroyed: false, req: { socket } };
  const response = Object.assign(new EventEmitter() as EventEmitter & ServerResponse, state);
  return Object.assign(response, {
    isCut: () => socket.destroyed,
    /** Makes the client read all but this many bytes. */
    readTo: (bytes: number) => Object.assign(response, { writableLength: bytes }),
  });
}

test("counts unread bytes until the response is closed", () => {
  const bytes = createUnreadBytes({ total: 100, perAccount: 100 });
  bytes.count(unread(0), "a");
  bytes.count(Object.assign(unread(7), { destroyed: true }), "a");
  expect(bytes.load()).toEqual({ bytes: 0, cut: 0 });
  const [first, second] = [unread(60), unread(40)];
  bytes.count(first, "a");
  bytes.count(second, "a");
  expect(bytes.load()).toEqual({ bytes: 100, cut: 0 });
  second.readTo(10);
  expect(bytes.load()).toEqual({ bytes: 70, cut: 0 });
  first.emit("close");
  expect(bytes.load()).toEqual({ bytes: 10, cut: 0 });
  expect([first.isCut(), second.isCut()]).toEqual([false, false]);
});

test("counts a response again whenever it is written to, and cuts none whose client has read meanwhile", () => {
  const bytes = createUnreadBytes({ total: 100, perAccount: 50 });
  const [download, other] = [unread(20), unread(20)];
  bytes.count(download, "a");
  bytes.count(other, "a");
  for (let chunk = 0; chunk < 10; chunk++) bytes.count(download.readTo(25), "a");
  expect(bytes.load()).toEqual({ bytes: 45, cut: 0 });
  download.readTo(0);
  bytes.count(unread(30), "a");
  expect(bytes.load()).toEqual({ bytes: 50, cut: 0 });
  download.emit("close");
  expect([download.listenerCount("close"), download.isCut()]).toEqual([0, false]);
});

test("cuts the one that was written to the longest time ago, and not one that has nothing waiting", () => {
  const bytes = createUnreadBytes({ total: 100, perAccount: 50 });
  const [read, download, stuck] = [unread(10), unread(20), unread(20)];
  for (const response of [read, download, stuck, download]) bytes.count(response, "a");
  read.readTo(0);
  bytes.count(unread(20), "a");
  expect([read, download, stuck].map((response) => response.isCut())).toEqual([false, false, true]);
});

test("cuts the oldest of the account that has most, which may be those without an account", () => {
  const bytes = createUnreadBytes({ total: 100, perAccount: 100 });
  const all = [unread(30), unread(30), unread(20), unread(30)];
  for (const [at, id] of ["b", undefined, undefined, "a"].entries()) bytes.count(all[at]!, id);
  expect(all.map((response) => response.isCut())).toEqual([false, true, false, false]);
  expect(bytes.load()).toEqual({ bytes: 80, cut: 1 });
});

test("leaves an account a response that is larger than its limit, as long as it is the only one", () => {
  const bytes = createUnreadBytes({ total: 100, perAccount: 10 });
  const [large, second] = [unread(11), unread(6)];
  bytes.count(large, "a");
  expect(bytes.load()).toEqual({ bytes: 11, cut: 0 });
  bytes.count(second, "a");
  expect([large, second].map((response) => response.isCut())).toEqual([true, false]);
});

test("keeps the count of an account when the connection of a cut response is finally closed", () => {
  const bytes = createUnreadBytes({ total: 100, perAccount: 10 });
  const [large, second, third] = [unread(11), unread(6), unread(6)];
  bytes.count(large, "a");
  bytes.count(second, "a");
  large.emit("close");
  // The handler of a cut response still writes.
  bytes.count(large, "a");
  bytes.count(third, "a");
  expect([large, second, third].map((response) => response.isCut())).toEqual([true, true, false]);
  expect(bytes.load()).toEqual({ bytes: 6, cut: 2 });
});
