/** How the tests learn what runs: the launcher puts it into this variable. */
export const VARIABLE = 'REAL_PARTS';

export interface Running {
  readonly dynamodb?: { readonly url: string };
  readonly moto?: { readonly url: string };
  /** The function as synthesized. */
  readonly bundle?: { readonly module: string; readonly nodeOptions: string };
  readonly keycloak?: { readonly url: string; readonly user: string; readonly password: string };
}

/** The parts of this run; none when it is on the embedded endpoints alone. */
export function running(environment: NodeJS.ProcessEnv = process.env): Running {
  return JSON.parse(environment[VARIABLE] ?? '{}');
}
