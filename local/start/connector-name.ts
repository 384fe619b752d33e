const LENGTH = 32;

/** The rule that the stack has for its connectors, so that a name tried here can be deployed. */
export function nameFault(name: string): string[] {
  if (name.length <= LENGTH && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return [];
  return [`--name must be lower-case letters, digits and single hyphens, a letter first, ${LENGTH} characters at most`];
}

/**
 * A connector name made of the host of a base URL, so that each tenant has a state folder of its own.
 *
 *     https://api.acme.example/security  →  api-acme-example
 */
export function defaultName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : '';
  const words = host.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-');
  return (/^[a-z]/.test(name) ? name : `tenant-${name}`).slice(0, LENGTH).replace(/-+$/, '');
}
