import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "@shipping/kit/testing/eventually";
import { sign } from "@shipping/webhooks/dispatch/signature";
import { freePort } from "../platform/free-port.js";

const SECRET = "whsec_GFn7PJ+v7jFMVLLhDAIHnOJaFzFczq7pBL+Nh4Zq/2o=";
const EVENT = JSON.stringify({
  id: "evt_kq3v7zj2m5xw4a6bnd2tc7yhre",
  type: "label.created",
  livemode: false,
  created_at: "2026-11-21T09:30:00.000Z",
  data: { id: "lbl_3fzqk7n2xw5vjm4tb6yc2redha", object: "label", status: "created", tracking_number: "TEST0001" },
});

/** Runs a command that is a webhook receiver, and sends it a delivery and forgeries. Yields its output. */
export async function tryReceiver(
  [program, ...args]: [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const port = await freePort();
  const receiver = spawn(program, args, {
    cwd,
    env: { ...env, PORT: String(port), WEBHOOK_SECRET: SECRET },
  });
  const ended = once(receiver, "exit");
  let printed = "";
  for (const stream of [receiver.stdout, receiver.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const post = async (body: string, secondsAgo = 0) => {
    const signature = sign(SECRET, Math.floor(Date.now() / 1000) - secondsAgo, Buffer.from(EVENT));
    const headers = { "content-type": "application/json; charset=utf-8", "service-signature": signature };
    return (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: "POST", headers, body })).status;
  };
  try {
    const first = await eventually(() => post(EVENT));
    const answers = [first, await post(EVENT.replace("created", "voided")), await post(EVENT, 400)];
    if (answers.join() !== "204,400,400") throw new Error(`A delivery and two forgeries: ${answers}\n${printed}`);
    await eventually(() => {
      if (!printed.includes("TEST0001")) throw new Error(`It printed no tracking number: ${printed}`);
    });
    return printed;
  } finally {
    receiver.kill();
    await ended;
  }
}
