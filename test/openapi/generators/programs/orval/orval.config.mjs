// biome-ignore lint/style/noDefaultExport: the generator reads its settings from the default export.
export default {
  shipping: {
    input: "openapi.json",
    output: {
      target: "client/client.ts",
      client: "fetch",
      override: { mutator: { path: "send.ts", name: "send" } },
    },
  },
};
