interface WithEnvironment {
  process?: { env?: Readonly<Record<string, string | undefined>> | undefined } | undefined;
}

/** A variable of the environment; undefined if it is unset or empty, and where a runtime has no environment or refuses to show it. */
export function variable(name: "SHIPPING_KEY" | "SHIPPING_URL"): string | undefined {
  try {
    return (globalThis as WithEnvironment).process?.env?.[name] || undefined;
  } catch {
    // Deno without --allow-env.
    return undefined;
  }
}
