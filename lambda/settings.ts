/** Reads the function's settings. Nothing else reads the environment. */
import * as v from 'valibot';
import { AUTH_URL_SCHEMA, BASE_URL_SCHEMA } from './addresses.ts';
import { issueText } from './issue-text.ts';
import { environmentVariableOf, FIXED_SETTINGS, OPTIONS, optionContradictions } from './options.ts';
import type { ProxySettings } from './proxy.ts';

const text = v.string();

const SETTINGS = v.object({
  baseUrl: BASE_URL_SCHEMA,
  authUrl: AUTH_URL_SCHEMA,
  secretId: text,
  table: text,
  deliveryStream: text,
  deadLetterBucket: text,
  /** Name of the connector, which is `connector` in events and `service` in metrics. */
  connector: text,
  ...FIXED_SETTINGS,
  ...OPTIONS,
  nodeUseEnvProxy: v.optional(text),
  httpsProxy: v.optional(text),
  noProxy: v.optional(text),
  awsEndpointUrl: v.optional(text),
  awsEndpointUrlS3: v.optional(text),
});

/** Settings whose variable has another name than `environmentVariableOf` returns. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  baseUrl: 'API_BASE_URL',
  secretId: 'CREDENTIALS_SECRET_ID',
  table: 'STATE_TABLE',
  connector: 'CONNECTOR_NAME',
};

export type Settings = Readonly<v.InferOutput<typeof SETTINGS>> & {
  /** Absent when connections are direct. */
  readonly proxy?: ProxySettings | undefined;
  /**
   * Whether objects are addressed by path. Local S3 endpoints need this, because they do not
   * support per-bucket host names.
   */
  readonly s3PathStyle: boolean;
};

/** Lists every problem of the environment at once. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The settings are wrong; nothing was started. ${problems.join('; ')}.`);
    this.problems = problems;
  }
}

function variableOfSetting(name: string): string {
  return OTHER_NAMES[name] ?? environmentVariableOf(name);
}

/** @throws SettingsError */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = Object.entries(SETTINGS.entries).flatMap(([name, schema]) => {
    // An empty variable counts as absent, because infrastructure tools cannot always leave a
    // variable out.
    const value = environment[variableOfSetting(name)]?.trim();
    return value ? [[name, decoded(value, schema)]] : [];
  });
  const parsed = v.safeParse(SETTINGS, Object.fromEntries(given), { abortPipeEarly: true });

  const wrongTogether = parsed.success ? optionContradictions(parsed.output) : [];
  const problems = [
    ...(parsed.issues ?? []).map(describe),
    ...wrongTogether.map(({ path, reason }) => `${path} ${reason}`),
  ].map(problem => problem.replace(/^\w+/, variableOfSetting));
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);

  const { nodeUseEnvProxy, httpsProxy, noProxy, awsEndpointUrl, awsEndpointUrlS3 } = parsed.output;
  return {
    ...parsed.output,
    proxy: nodeUseEnvProxy === '1' && httpsProxy ? { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy } : undefined,
    s3PathStyle: Boolean(awsEndpointUrlS3 ?? awsEndpointUrl),
  };
}

/**
 * Decodes the value of a variable. A text that is not a number or not JSON stays a text, and the
 * schema of the setting then refuses it.
 */
function decoded(value: string, schema: v.GenericSchema & { readonly wrapped?: v.GenericSchema }): unknown {
  const { type } = schema.wrapped ?? schema;
  if (type === 'number') return /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (type !== 'strict_object') return value;
  const json = v.safeParse(v.pipe(v.string(), v.parseJson()), value);
  return json.success ? json.output : value;
}

function describe(issue: v.BaseIssue<unknown>): string {
  return issue.received === 'undefined' ? `${v.getDotPath(issue)} is missing` : issueText(issue, 'the environment');
}
