import { CfnCondition, CfnOutput, CfnRule, DefaultStackSynthesizer, Duration, Fn, Stack, Token } from 'aws-cdk-lib';
import { CfnCompositeAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnManagedPolicy, CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { type CfnSecret, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import { toProps } from '../../lib/config/props.ts';
import type { ConnectorConfig } from '../../lib/config/schema.ts';
import type { SecurityDataConnectorProps, SiemReader } from '../../lib/connector-props.ts';
import { nameOutputs } from '../../lib/connector-stack.ts';
import { createCredentialsSecret } from '../../lib/credentials.ts';
import { exportName } from '../../lib/export-name.ts';
import { proxyEnvironment } from '../../lib/function/proxy.ts';
import { createReaderRole } from '../../lib/readers/siem-reader.ts';
import { nameRoles } from '../../lib/role-names.ts';
import { SecurityDataConnector } from '../../lib/security-data-connector.ts';
import { VERSION } from '../../lib/version.ts';
import { omittedParameters } from './options.ts';
import { TemplateParameters } from './parameters.ts';

/**
 * The stack of `ConnectorStack`, but with parameters in place of options, for users who deploy
 * without the CDK. Properties that the construct does not accept as tokens are set on the resources
 * that it created.
 */
export class TemplateStack extends Stack {
  readonly #parameters: TemplateParameters;

  constructor(scope: Construct, id: string, config: ConnectorConfig) {
    super(scope, id, {
      description: `Security data connector ${VERSION}: what changed in one organization, to its SIEM.`,
      // The CDK uploads nothing, so the account need not be bootstrapped.
      synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    });
    this.#parameters = new TemplateParameters(this, omittedParameters(config));

    const connector = new SecurityDataConnector(this, 'Connector', this.#props(config));
    this.#addVariables(connector, config);
    if (connector.siem && !config.siemReader) this.#addReaders(connector);

    nameRoles(this, { namePrefix: config.namePrefix });
    for (const resource of this.node.findAll()) this.#setProperties(resource);
    nameOutputs(this);
  }

  #props(config: ConnectorConfig): SecurityDataConnectorProps {
    const parameters = this.#parameters;
    const { requestsPerMinute, proxyUrl, noProxy, ...props } = toProps(this, config);

    return {
      ...props,
      connectorName: parameters.text('ConnectorName'),
      baseUrl: parameters.text('BaseUrl'),
      authUrl: parameters.text('AuthUrl'),
      secret: this.#secret(props),
      dnsBlocksPath: parameters.optional('DnsBlocksPath'),
      threatAssetField: parameters.text('ThreatAssetField'),
      logRetention: parameters.number('LogRetentionDays'),
      runbookUrl: parameters.text('RunbookUrl'),
      ...(!config.bucketArn && { retention: Duration.days(parameters.number('RetentionDays')) }),
      ...(!config.alarmTopicArn && { alarmEmail: parameters.text('AlarmEmail') }),
    };
  }

  /** Returns the secret that the parameter names, or a secret that the stack creates. */
  #secret({
    removalPolicy,
    encryptionKey,
  }: Pick<SecurityDataConnectorProps, 'removalPolicy' | 'encryptionKey'>): ISecret {
    const connectorName = this.#parameters.text('ConnectorName');
    const created = createCredentialsSecret(this, { connectorName, removalPolicy: removalPolicy!, encryptionKey });
    const given = this.#parameters.condition('SecretArn');
    const condition = new CfnCondition(this, 'CreatesSecret', { expression: Fn.conditionNot(given) });
    (created.node.defaultChild as CfnSecret).cfnOptions.condition = condition;

    const fill = this.node.findChild('FillCredentials') as CfnOutput;
    fill.condition = condition;
    fill.exportName = exportName(connectorName, 'FillCredentials');
    return Secret.fromSecretCompleteArn(
      this,
      'Secret',
      this.#parameters.optional('SecretArn', undefined, created.secretArn),
    );
  }

  #addVariables({ function: lambda }: SecurityDataConnector, { noProxy }: ConnectorConfig): void {
    const parameters = this.#parameters;
    lambda.addEnvironment('REQUESTS_PER_MINUTE', parameters.optional('RequestsPerMinute'));

    const proxy = proxyEnvironment({ proxyUrl: parameters.text('ProxyUrl'), noProxy });
    for (const [name, value] of Object.entries(proxy))
      lambda.addEnvironment(name, parameters.optional('ProxyUrl', value));
  }

  /** Adds a role for each kind of reader. The stack creates at most one of these roles. */
  #addReaders(connector: SecurityDataConnector): void {
    const parameters = this.#parameters;
    const [principal, externalId] = [parameters.text('ReaderPrincipal'), parameters.text('ReaderExternalId')];
    const workspaceId = parameters.text('SentinelWorkspaceId');
    const external = parameters.condition('ReaderPrincipal');
    const sentinel = parameters.condition('SentinelWorkspaceId');
    const externalArn = this.#createReader(connector, external, { type: 'external-id', principal, externalId });
    const sentinelArn = this.#createReader(connector, sentinel, { type: 'sentinel', workspaceId });

    const output = new CfnOutput(this, 'SiemReaderRoleArn', {
      description: 'For the SIEM: role to assume',
      value: Fn.conditionIf(sentinel.logicalId, sentinelArn, externalArn).toString(),
      exportName: exportName(connector.connectorName, 'SiemReaderRoleArn'),
    });
    output.condition = new CfnCondition(this, 'HasReader', { expression: Fn.conditionOr(external, sentinel) });
    this.#checkReader(principal, externalId, workspaceId);
  }

  #checkReader(principal: string, externalId: string, workspaceId: string): void {
    const [noPrincipal, noId, noWorkspace] = [principal, externalId, workspaceId].map(text =>
      Fn.conditionEquals(text, ''),
    );
    const assert = Fn.conditionOr(
      Fn.conditionAnd(noPrincipal!, noId!),
      Fn.conditionAnd(Fn.conditionNot(noPrincipal!), Fn.conditionNot(noId!), noWorkspace!),
    );
    const assertDescription =
      'Give ReaderPrincipal and ReaderExternalId, or SentinelWorkspaceId, or none of them. Nothing was changed.';
    new CfnRule(this, 'ReaderIsOne', { assertions: [{ assert, assertDescription }] });
  }

  #createReader(connector: SecurityDataConnector, condition: CfnCondition, reader: SiemReader): string {
    const within = new Construct(this, reader.type === 'sentinel' ? 'Sentinel' : 'External');
    const { connectorName, siem } = connector;
    const role = createReaderRole(within, connectorName, reader, siem!.policy);
    (role.node.defaultChild as CfnRole).cfnOptions.condition = condition;
    return role.roleArn;
  }

  /** Sets the properties that the construct does not accept as tokens. */
  #setProperties(resource: IConstruct): void {
    const parameters = this.#parameters;
    if (resource instanceof CfnRole || resource instanceof CfnManagedPolicy)
      resource.path = parameters.text('RolePath');
    if (resource instanceof CfnRole) resource.permissionsBoundary = parameters.optional('PermissionsBoundaryArn');
    if (resource instanceof CfnCompositeAlarm) resource.actionsEnabled = Token.asAny({ Ref: 'Enabled' });
    if (resource instanceof CfnSchedule) {
      resource.state = Token.asString(
        Fn.conditionIf(parameters.condition('Enabled', 'true').logicalId, 'ENABLED', 'DISABLED'),
      );
    }
    if (resource instanceof CfnSubscription && resource.protocol === 'email') {
      resource.cfnOptions.condition = parameters.condition('AlarmEmail');
    }
    if (resource instanceof CfnFunction) {
      resource.memorySize = parameters.number('MemoryMegabytes');
      resource.code = { s3Bucket: parameters.text('ArtifactBucket'), s3Key: parameters.text('ArtifactKey') };
    }
  }
}
