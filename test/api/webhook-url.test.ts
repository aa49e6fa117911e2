import { refusal, type Webhook } from "../platform/api-client.js";
import { usePlatform } from "./platform.js";

const platform = usePlatform({ privateTargets: false });

const post = async (url: string) =>
  (await platform.sandbox()).post<Webhook>("/webhooks", { url, events: ["order.created"] });

describe("the url of POST /webhooks", () => {
  test.each([
    "https://example.com",
    "https://example.com/",
    "https://example.com:443/hook",
    "https://hooks.example.co.uk/a/b?c=d&e=%20f",
    "https://example.com/hook?owner=a@b.example",
    "https://example.com/@me",
    "https://xn--bcher-kva.example/",
    "https://1and1.example/",
    "https://a-b.c1.example/",
    "https://EXAMPLE.com/Hook",
    "HTTPS://example.com/",
    "https://localhost.example.com/",
    "https://127.0.0.1.example.com/",
    "https://mylocal.example/",
    `https://example.com/${"a".repeat(2_028)}`,
  ])("201 for %s, returned as sent", async (url) => {
    const { status, body } = await post(url);
    expect([status, body.data.url]).toEqual([201, url]);
  });

  test.each([
    // Another scheme or form.
    "http://example.com/",
    "http://example.com:443/",
    "ftp://example.com/",
    "wss://example.com/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "example.com",
    "//example.com/",
    "/hook",
    "https:",
    "https://",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https://?a",
    // Another port.
    "https://example.com:80/",
    "https://example.com:8443/",
    "https://example.com:0/",
    "https://example.com:65536/",
    "https://example.com:x/",
    // Credentials and fragments, empty ones too.
    "https://user:password@example.com/",
    "https://user@example.com/",
    "https://@example.com/",
    "https://:@example.com/",
    "https://example.com:443@evil.example/",
    "https://example.com/#fragment",
    "https://example.com/#",
    "https://example.com#",
    // White space, backslashes, and characters outside printable ASCII.
    " https://example.com/",
    "https://example.com/ ",
    "https://example.com/a b",
    "https://exam\tple.com/",
    "https://example.com/\n",
    "https:\\\\example.com\\",
    "https://example.com\\@evil.example/",
    "https://bücher.example/",
    "https://ｅxample.com/",
    "https://example。com/",
    "https://example.com/\u007f",
    // localhost, and names without a meaning on the public internet.
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://a.localhost/",
    "https://intranet/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://router.home.arpa/",
    "https://abc.onion/",
    "https://a.test/",
    "https://a.invalid/",
    "https://webhooks.shipping.svc/",
    "https://webhooks.shipping.svc.cluster.local/",
    "https://example.com./",
    "https://a..example/",
    "https://-a.example/",
    "https://a-.example/",
    "https://a_b.example/",
    "https://*.example.com/",
    "https://example.1/",
    // Any notation of an IP address.
    "https://127.0.0.1/",
    "https://127.0.0.1:443/",
    "https://127.0.0.1./",
    "https://127.1/",
    "https://0x7f.1/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://2130706433/",
    "https://%31%32%37.0.0.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://8.8.8.8/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2606:4700:4700::1111]/",
    "https://[fe80::1%25eth0]/",
    "https://[::1/",
    `https://example.com/${"a".repeat(2_029)}`,
    `https://${"a".repeat(64)}.example/`,
  ])("422 invalid_request url for %j", async (url) => {
    expect(refusal(await post(url))).toBe("422 invalid_request url");
  });

  test("422 for an unlucky url does not reserve the key", async () => {
    const api = await platform.sandbox();
    const events = ["order.created"];
    const first = await api.post("/webhooks", { url: "http://example.com/", events }, "retried");
    expect(refusal(first)).toBe("422 invalid_request url");
    expect((await api.post("/webhooks", { url: "https://example.com/", events }, "retried")).status).toBe(201);
  });
});
