import { type AwsNames, LOCAL_NAMES } from '../../../../local/aws/local-aws.ts';
import { type ReferenceResolver, resolveText } from '../../../../local/deployment/template.ts';
import { createReferences } from '../../../aws/references.ts';
import { templateWith } from '../../shared-template.ts';
import { only, type SynthesizedTemplate } from '../../template.ts';
import { allows, functionGrants, type Grant } from './grants.ts';
import { type SeenCall, seenCalls } from './scenarios.ts';

/** Calls that Lambda's runtime makes in the function's name, to store what it writes to stdout. */
export const RUNTIME_ACTIONS: readonly string[] = ['logs:CreateLogStream', 'logs:PutLogEvents'];

export interface UsedGrant extends Grant {
  /** Scenarios whose calls need it. */
  readonly scenarios: readonly string[];
}

export interface Privileges {
  readonly grants: readonly UsedGrant[];
  /** Calls that no grant allows. */
  readonly refused: readonly SeenCall[];
}

/** Compares the policies of the template with the calls of the function in every scenario. */
export async function privileges(): Promise<Privileges> {
  const template = await templateWith({ dnsBlocksPath: '/v1/dns-blocks' });
  const calls = await seenCalls(({ aws }) => environment(template, aws.names));
  const grants = functionGrants(template, value => resolveText(value, referencesTo(template, LOCAL_NAMES)));
  const fits = (grant: Grant) => calls.filter(call => allows(grant, call.permission, call.resource));
  return {
    grants: grants.map(grant => ({ ...grant, scenarios: [...new Set(fits(grant).map(({ scenario }) => scenario))] })),
    refused: calls.filter(call => !grants.some(grant => allows(grant, call.permission, call.resource))),
  };
}

/**
 * The function's variables as the stack sets them; only the addresses are those of the local API
 * simulator.
 */
function environment(template: SynthesizedTemplate, names: AwsNames): Record<string, string> {
  const { Environment: given } = only(template, 'AWS::Lambda::Function');
  const references = referencesTo(template, names);
  const { API_BASE_URL: _api, AUTH_URL: _auth, ...rest } = (given as { Variables: Record<string, unknown> }).Variables;
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, resolveText(value, references)]));
}

function referencesTo(template: SynthesizedTemplate, names: AwsNames): ReferenceResolver {
  return createReferences(template, { stackName: 'acme', names });
}
