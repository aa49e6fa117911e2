/** The key, which comes from the environment because the arguments of a process are for everyone to see. */
export const keyFromEnvironment = (): string | undefined => process.env.CONFORMANCE_KEY;
