import { exchange } from "@shipping/kit/testing/raw-http";
import { gatewayUnderTest } from "./testing/gateway-under-test.js";

test.each([true, false])(
  "every answer tells browsers to use https alone if PUBLIC_URL is https: %p",
  async (isHttps) => {
    const gateway = await gatewayUnderTest({ strictTransport: isHttps });
    for (const path of ["/api/v1/orders", "/api/v1/openapi.json", "/no-such-route", "/%zz"]) {
      const [answer] = await exchange(gateway.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, "");
      const sent = answer?.headers["strict-transport-security"];
      expect([path, sent]).toEqual([path, isHttps ? "max-age=31536000; includeSubDomains" : undefined]);
    }
    await gateway.end();
  },
);
