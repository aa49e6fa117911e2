import { describeFailure } from "./failure-words.js";

const said = (reason: string, status?: number) => {
  const { what, remedy } = describeFailure({ reason, ...(status !== undefined && { status }) } as Parameters<
    typeof describeFailure
  >[0]);
  return `${what}. ${remedy}`;
};

test("a status is said as such, with what may be behind it", () => {
  expect(said("status", 500)).toMatch(/^Responded with 500\. .*log/);
  expect(said("status", 301)).toMatch(/^Responded with 301\. Redirects are not followed/);
  expect(said("status", 401)).toMatch(/signature/);
  expect(said("status", 418)).toMatch(/^Responded with 418\. Only a status from 200 to 299/);
});

test("a reason is said in words, one that is not known in general ones", () => {
  expect(said("tls_expired")).toMatch(/^The certificate has expired\. Renew/);
  expect(said("name_not_found")).toContain("DNS");
  expect(said("something_new")).toMatch(/^The request failed/);
  expect(said("constructor")).toMatch(/^The request failed/);
});
