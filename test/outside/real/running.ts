/** The launcher passes the running parts to the tests in this variable. */
export const VARIABLE = 'REAL_PARTS';

export interface Running {
  readonly dynamodb?: { readonly url: string };
  /** With the Python that it runs on, which has boto3. */
  readonly moto?: { readonly url: string; readonly python: string };
  /** The function as synthesized. */
  readonly bundle?: { readonly module: string; readonly nodeOptions: string };
  readonly keycloak?: { readonly url: string; readonly user: string; readonly password: string };
  /** With the class path of its archives, for programs that use them directly. */
  readonly trino?: { readonly url: string; readonly archives: string };
}

/** The parts of this run; none when it is on the embedded endpoints alone. */
export function running(environment: NodeJS.ProcessEnv = process.env): Running {
  return JSON.parse(environment[VARIABLE] ?? '{}');
}
