// biome-ignore lint/style/noDefaultExport: the generator reads its settings from the default export.
export default {
  input: "openapi.json",
  output: "client",
  plugins: [
    "@hey-api/client-fetch",
    "@hey-api/typescript",
    "zod",
    { name: "@hey-api/sdk", validator: { response: "zod" } },
  ],
};
