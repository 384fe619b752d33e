/**
 * The parameters of the template, which stand for options of the connector. An empty parameter
 * leaves its option out.
 */
import { Aws, CfnCondition, CfnParameter, type CfnParameterProps, Fn, type Stack, Token } from 'aws-cdk-lib';
import { RUNBOOK_ADDRESS, VERSION } from '../../lib/version.ts';

const ARN = 'arn:aws[a-z-]*';

/** The parameters in groups, as the console of CloudFormation shows them. */
export const PARAMETER_GROUPS = {
  'Organization and API': {
    ConnectorName: {
      description: 'Name of the connector, unique in account and region. Every event, metric and alarm has it.',
      allowedPattern: '[a-z][a-z0-9]*(-[a-z0-9]+)*',
      maxLength: 32,
    },
    BaseUrl: {
      description: 'Base URL of the API, without /v1 or the path of a list.',
      allowedPattern: 'https://[^?#@\\s]*[^?#@/\\s]',
    },
    AuthUrl: {
      description: 'URL of the realm that issues tokens, or of its token endpoint.',
      allowedPattern: 'https://[^?#@\\s]*[^?#@/\\s]',
    },
    SecretArn: {
      description: 'Existing secret with {"client_id", "client_secret"}. Empty: a secret is created, to fill in later.',
      default: '',
      allowedPattern: `(${ARN}:secretsmanager:[a-z0-9-]+:\\d{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6})?`,
    },
    DnsBlocksPath: {
      description: 'Path of the list of DNS blocks below the base URL. Empty: DNS blocks are not read.',
      default: '',
      allowedPattern: '(/[^?#\\s]*)?',
    },
    ThreatAssetField: {
      description: 'Member of a threat that names its asset.',
      default: 'asset_id',
      allowedPattern: '\\S(.*\\S)?',
    },
    RequestsPerMinute: {
      description: 'Most requests to the API in any minute, 10 to 6000. Empty: no limit.',
      default: '',
      allowedPattern: '([1-9]\\d{1,2}|[1-5]\\d{3}|6000)?',
    },
  },
  'Code of the function': {
    ArtifactBucket: { description: 'Bucket in the region of the stack that has function.zip.', minLength: 3 },
    ArtifactKey: {
      description: `Key of function.zip of version ${VERSION} in that bucket. Use another key for each version, or the function stays as it is.`,
      minLength: 1,
    },
    MemoryMegabytes: {
      type: 'Number',
      description: 'Memory of the function. With 1769 it has a whole CPU, which a backfill needs.',
      default: 1769,
      minValue: 256,
      maxValue: 10240,
    },
    Enabled: {
      description: 'Whether the schedule runs. false pauses the connector and its alarms, and nothing is lost.',
      default: 'true',
      allowedValues: ['true', 'false'],
    },
  },
  SIEM: {
    ReaderPrincipal: {
      description:
        'Account id, or ARN of a role or user, that reads the events. Empty: a policy to attach, and no role.',
      default: '',
      allowedPattern: `(\\d{12}|${ARN}:iam::\\d{12}:(root|(role|user)/[\\w+=,.@/-]+))?`,
    },
    ReaderExternalId: {
      description: 'External id that the form of the SIEM shows, for the same role.',
      default: '',
      allowedPattern: '([\\w+=,.@:/-]{2,1224})?',
    },
    SentinelWorkspaceId: {
      description: 'Instead of the two: id of the Log Analytics workspace of Microsoft Sentinel.',
      default: '',
      allowedPattern: '([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?',
    },
  },
  Alarms: {
    AlarmEmail: {
      description: 'Address to notify of alarms. Empty: nobody is subscribed.',
      default: '',
      allowedPattern: '([^@\\s]+@[^@\\s]+)?',
    },
    RunbookUrl: {
      description: 'Address of docs/runbook.md, to which each alarm links.',
      default: RUNBOOK_ADDRESS,
      maxLength: 256,
    },
  },
  Retention: {
    RetentionDays: {
      type: 'Number',
      description: 'Days to keep delivered events, backups and dead letters in the bucket.',
      default: 365,
      minValue: 1,
      maxValue: 3650,
    },
    LogRetentionDays: {
      type: 'Number',
      description: 'Days to keep logs.',
      default: 90,
      allowedValues: '1 3 5 7 14 30 60 90 120 150 180 365 400 545 731 1096 1827 2192 2557 2922 3288 3653'.split(' '),
    },
  },
  'Roles and network': {
    RolePath: {
      description: 'Path of every role and policy.',
      default: '/',
      allowedPattern: '/([!-~]+/)?',
      maxLength: 512,
    },
    PermissionsBoundaryArn: {
      description: 'Policy that bounds every role. Empty: none.',
      default: '',
      allowedPattern: `(${ARN}:iam::(\\d{12}|aws):policy/[\\w+=,.@/-]+)?`,
    },
    ProxyUrl: {
      description: 'Proxy to the API, the token endpoint and AWS, such as http://proxy.example.com:3128. Empty: none.',
      default: '',
      allowedPattern: '(https?://[^/?#@\\s]+)?',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, CfnParameterProps>>>>;

type KeysOfUnion<T> = T extends T ? keyof T : never;
export type ParameterName = KeysOfUnion<(typeof PARAMETER_GROUPS)[keyof typeof PARAMETER_GROUPS]>;

/** Adds the parameters to the stack, and returns their values as tokens. */
export class TemplateParameters {
  readonly #stack: Stack;

  /** @param omitted parameters that have no effect with the options of the command */
  constructor(stack: Stack, omitted: readonly ParameterName[]) {
    this.#stack = stack;
    const groups = Object.entries<Readonly<Record<string, CfnParameterProps>>>(PARAMETER_GROUPS).map(
      ([label, group]) => {
        const kept = Object.entries(group).filter(([name]) => !omitted.includes(name as ParameterName));
        for (const [name, props] of kept) {
          // The constraint is not described, so that CloudFormation shows the pattern in its
          // message.
          new CfnParameter(stack, name, props);
        }
        return { Label: { default: label }, Parameters: kept.map(([name]) => name) };
      },
    );
    const ParameterGroups = groups.filter(group => group.Parameters.length > 0);
    stack.templateOptions.metadata = { 'AWS::CloudFormation::Interface': { ParameterGroups } };
  }

  text(name: ParameterName): string {
    return this.#find(name).valueAsString;
  }

  number(name: ParameterName): number {
    return this.#find(name).valueAsNumber;
  }

  /**
   * Returns the condition that the parameter has this value, or, if no value is given, that the
   * parameter is not empty.
   */
  condition(name: ParameterName, value = ''): CfnCondition {
    const id = value === '' ? `Has${name}` : `${name}Is${value}`;
    const found = this.#stack.node.tryFindChild(id) as CfnCondition | undefined;
    const equals = Fn.conditionEquals(this.text(name), value);
    return found ?? new CfnCondition(this.#stack, id, { expression: value === '' ? Fn.conditionNot(equals) : equals });
  }

  /**
   * Returns `value`, by default the value of the parameter, if the parameter is not empty.
   * Otherwise it returns `otherwise`, which by default leaves the property out.
   */
  optional(name: ParameterName, value: string = this.text(name), otherwise: string = Aws.NO_VALUE): string {
    return Token.asString(Fn.conditionIf(this.condition(name).logicalId, value, otherwise));
  }

  #find(name: ParameterName): CfnParameter {
    return this.#stack.node.findChild(name) as CfnParameter;
  }
}
