import { identityIn } from "./tls.js";

const production = { production: true };

describe("the identity in a certificate", () => {
  test("is the platform and the part from the URI, wherever it is among the names", () => {
    const records = { platform: "spiffe://cluster.local/ns/shipping/eu", part: "records" };
    const uri = "URI:spiffe://cluster.local/ns/shipping/eu/records";
    expect(identityIn(`DNS:eu-records, ${uri}, IP Address:127.0.0.1`, production)).toEqual(records);
    expect(identityIn(uri, production)).toEqual(records);
    expect(identityIn("URI:spiffe://here/gateway", production)).toEqual({ platform: "spiffe://here", part: "gateway" });
  });

  test.each([
    ["no names", undefined],
    ["no URI", "DNS:gateway"],
    ["a URI of something else", "URI:https://here/gateway"],
    ["a platform without a part", "URI:spiffe://here"],
    ["two URIs", "URI:spiffe://here/gateway, URI:spiffe://here/records"],
    ["a name that contains one, as Node quotes it", 'DNS:"a, URI:spiffe://here/gateway"'],
    ["the same with more after it", 'DNS:"a, URI:spiffe://here/gateway, b"'],
    ["a URI that contains another, as Node quotes it", 'URI:"spiffe://here/x, URI:spiffe://here/gateway"'],
    ["an empty segment", "URI:spiffe://here//gateway"],
    ["white space", "URI:spiffe://here/gate way"],
  ])("is undefined with %s", (_case, names) => {
    expect(identityIn(names, production)).toBeUndefined();
  });

  test("may be a DNS name outside production, because Helm's genSignedCert cannot write URIs", () => {
    const uri = "spiffe://here/gateway";
    const trial = { production: false };
    expect(identityIn(`DNS:gateway, DNS:${uri}`, trial)).toEqual({ platform: "spiffe://here", part: "gateway" });
    expect(identityIn(`DNS:gateway, DNS:${uri}`, production)).toBeUndefined();
    expect(identityIn(`DNS:${uri}, URI:spiffe://here/records`, trial)).toBeUndefined();
    expect(identityIn(`DNS:${uri}, URI:spiffe://here/records`, production)?.part).toBe("records");
  });
});
