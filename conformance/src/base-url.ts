const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL leads to this machine, where platforms are tried with switches that production refuses. */
export function isOnThisMachine(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}
