import { Stack } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import type { SecurityDataConnectorProps } from '../../../lib/connector-props.ts';
import { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { createApp, templateOf } from '../synth.ts';
import type { SynthesizedTemplate } from '../template.ts';

type Props = Partial<SecurityDataConnectorProps>;

export const REQUIRED = {
  connectorName: 'acme',
  baseUrl: 'https://api.acme.example',
  authUrl: 'https://auth.acme.example/realms/acme',
};

/** Warnings that the construct itself adds at synth. */
export function warningsOf({ node }: IConstruct): string[] {
  return node.metadata.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => String(data));
}

export function theirStack(app: IConstruct = createApp(), id = 'TheirStack'): Stack {
  return new Stack(app as Construct, id, { env: { account: '111122223333', region: 'eu-west-1' } });
}

interface Constructed {
  readonly scope: Stack;
  readonly connector: SecurityDataConnector;
  /** Synthesized when it is read. */
  readonly template: SynthesizedTemplate;
}

/**
 * The construct in a stack of somebody's own app. Its props may be made of other objects of that
 * stack.
 */
export function construct(props: Props | ((scope: Stack) => Props) = {}, scope = theirStack()): Constructed {
  const given = typeof props === 'function' ? props(scope) : props;
  const connector = new SecurityDataConnector(scope, 'Connector', { ...REQUIRED, ...given });
  return {
    scope,
    connector,
    get template() {
      return templateOf(scope);
    },
  };
}
