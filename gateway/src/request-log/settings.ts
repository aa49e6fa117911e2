import { z } from "zod";

/** The setting of the request log, which the operator's command line names, too. */
export const requestLogSetting = {
  REQUEST_LOG_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(90)
    .default(7)
    .describe("days to keep the request log; 0 turns it off"),
};
