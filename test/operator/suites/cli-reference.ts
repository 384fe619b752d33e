import { beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATOR_PERMISSIONS, type OperatorGrant } from '../../../lib/grants/operator-permissions.ts';
import { actionsOf, resourcesOf } from '../../stack/suites/policies.ts';
import { nameOf } from '../cli-reference/operator-permissions.ts';
import { program } from '../cli-reference/page.ts';
import { type AskedFor, recordCalls } from '../cli-reference/record.ts';
import { SCENES } from '../cli-reference/scenes.ts';
import { operatorStatements } from '../support/operator-grants.ts';

/** Whether a command only inspects, as its help says. */
function inspects(args: readonly string[]): boolean {
  const command = program.commands.find(each => each.name() === args[0])!;
  const part = command.commands.find(each => each.name() === args[1]) ?? command;
  return part.description().endsWith('; changes nothing');
}

/** Pairs of action and resource, sorted. Each stack is one of every stack. */
function pairs(all: readonly (readonly string[])[]): string[] {
  const named = (resource = '') => (/:stack\//.test(resource) ? 'every stack, without `--stack`' : nameOf(resource));
  return [...new Set(all.map(([action, resource]) => `${action} on ${named(resource)}`))].sort();
}

function granted(grant: OperatorGrant): string[] {
  return pairs(
    operatorStatements(grant).flatMap(statement =>
      actionsOf(statement).flatMap(action => resourcesOf(statement).map(resource => [action, String(resource)])),
    ),
  );
}

/** Permissions that AWS checks without a call of the command. */
function uncalled(grant: OperatorGrant): string[] {
  return OPERATOR_PERMISSIONS.filter(each => each.uncalled !== undefined && each.grant === grant).flatMap(
    ({ on, actions }) => actions.map(action => `${action} on ${on}`),
  );
}

describe('the permissions in docs/permissions.md', () => {
  let asked: readonly AskedFor[];
  beforeAll(async () => {
    asked = await recordCalls();
  });

  test('the scenes that record the calls for docs/permissions.md run every command', () => {
    const recorded = SCENES.map(([scene]) => scene?.args[0]);
    expect(recorded.toSorted()).toEqual(program.commands.map(command => command.name()).toSorted());
  });

  const calls = (counts: (args: readonly string[]) => boolean) =>
    pairs(asked.flatMap(({ args, permission, resource }) => (counts(args) ? [[permission, resource]] : [])));

  test('grantInspect allows exactly the calls of the read-only commands', () => {
    expect(granted('inspect')).toEqual([...calls(inspects), ...uncalled('inspect')].sort());
  });

  test('grantOperate allows exactly the calls of all commands', () => {
    const all = [...calls(() => true), ...uncalled('inspect'), ...uncalled('operate')];
    // A command and the runbook may need the same.
    expect(granted('operate')).toEqual([...new Set(all)].sort());
  });
});
