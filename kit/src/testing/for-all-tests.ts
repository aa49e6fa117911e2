// Jest defines these in the files that it runs.
declare function beforeAll(run: () => Promise<void>): void;
declare function afterAll(run: () => Promise<void>): void;

/** Opens something before the tests of a file, and ends it after them. Its members are there once the first test runs. */
export function forAllTests<T extends { end(): Promise<unknown> }>(open: () => Promise<T>): T {
  const opened = {} as T;
  beforeAll(async () => void Object.assign(opened, await open()));
  afterAll(async () => void (await opened.end()));
  return opened;
}
