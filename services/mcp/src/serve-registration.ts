import { sendAnswer } from "@shipping/kit/http/send-answer";
import type { Express, RequestHandler } from "express";
import { type Admission, Refused } from "./admission.js";
import { relay, toRegistrationRefusal } from "./refuse-message.js";

/** The path at which the hosts of agents register where no authorization server names another. */
export const REGISTER_PATH = "/register";

const message =
  "There is no sign-in. Give the host an API key, which it sends in the header Authorization: Bearer. See /docs/coding-agents.";

/**
 * Refuses the registration of hosts. They try it after any 401, and show its error instead of that of the message, so it says what is wrong with the
 * key that they sent.
 */
export function serveRegistration(app: Express, admission: Admission): void {
  const register: RequestHandler = async (req, res) => {
    try {
      await admission.admit(req, res);
    } catch (error) {
      if (error instanceof Refused) return relay(error.answer, res, toRegistrationRefusal);
      throw error;
    }
    sendAnswer(res, 400, { type: "application/json", body: toRegistrationRefusal({ message }) });
  };
  app.post(REGISTER_PATH, register);
}
