// Made by `npm run generate` from package.json: do not edit.

export const CLIENT_VERSION = "1.2.0";
