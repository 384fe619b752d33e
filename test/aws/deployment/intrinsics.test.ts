import { describe, expect, test } from '@jest/globals';
import { LOCAL_NAMES } from '../../../local/aws/local-aws.ts';
import { type References, resolveText, resolveValue } from '../../../local/deployment/template.ts';
import { createReferences } from './physical-names.ts';

const REFERENCES: References = {
  ref: id => `ref ${id}`,
  attribute: (id, name) => `${name} of ${id}`,
};

/** `<A>` as a template writes it. */
function sub(text: string): string {
  return text.replaceAll('<', '$' + '{').replaceAll('>', '}');
}

describe('an intrinsic function', () => {
  test.each<[unknown, unknown]>([
    [{ Ref: 'A' }, 'ref A'],
    [{ Ref: 'AWS::NoValue' }, undefined],
    [{ 'Fn::GetAtt': ['A', 'Arn'] }, 'Arn of A'],
    [{ 'Fn::GetAtt': 'A.Endpoint.Port' }, 'Endpoint.Port of A'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'B' }, { 'Fn::Join': ['', ['c', 'd']] }]] }, 'a-ref B-cd'],
    [{ 'Fn::Sub': sub('x-<A>-<A.Arn>-<!A>-$') }, sub('x-ref A-Arn of A-<A>-$')],
    [{ 'Fn::Sub': [sub('<V>-<A>'), { V: { Ref: 'B' } }] }, 'ref B-ref A'],
    [{ 'Fn::Select': ['1', { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    [{ 'Fn::Select': [0, [{ Ref: 'A' }, 'b']] }, 'ref A'],
  ])('%j is carried out', (value, result) => {
    expect(resolveValue(value, REFERENCES)).toEqual(result);
  });

  test('is resolved at any depth, and members without a value are left out', () => {
    const value = {
      list: [1, true, null, { deep: { Ref: 'A' } }],
      gone: { Ref: 'AWS::NoValue' },
      Ref: 'a member',
      text: '',
    };
    expect(resolveValue(value, REFERENCES)).toStrictEqual({
      list: [1, true, null, { deep: 'ref A' }],
      Ref: 'a member',
      text: '',
    });
  });

  test('that is unknown is refused, as is a value that must be a text', () => {
    expect(() => resolveValue({ 'Fn::ImportValue': 'x' }, REFERENCES)).toThrow('Fn::ImportValue is not known here.');
    expect(() => resolveText({ a: 1 }, REFERENCES)).toThrow('Not a text');
  });
});

describe('the names of a template’s resources', () => {
  const template = {
    Resources: {
      Given: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Sub': sub('q-<AWS::Region>') } } },
      Made: { Type: 'AWS::Lambda::Function' },
      [`Long${'x'.repeat(80)}`]: { Type: 'AWS::Lambda::Function' },
      Provider: { Type: 'AWS::IAM::OIDCProvider' },
      Stream: { Type: 'AWS::KinesisFirehose::DeliveryStream' },
      Other: { Type: 'Custom::Thing' },
    },
  };
  const references = createReferences(template, {
    region: 'eu-west-1',
    account: '123456789012',
    stackName: 'stack',
    names: LOCAL_NAMES,
    secretArn: 'secret',
    queueUrl: name => `http://sqs/${name}`,
  });

  test('are those of the template, or the names of stack and resource, cut to the limits of the service', () => {
    expect(references.ref('Given')).toBe('http://sqs/q-eu-west-1');
    expect(references.attribute('Given', 'Arn')).toBe('arn:aws:sqs:eu-west-1:123456789012:q-eu-west-1');
    expect(references.ref('Made')).toBe('stack-Made');
    expect(references.ref(`Long${'x'.repeat(80)}`)).toHaveLength(64);
    expect(references.attribute('Provider', 'Arn')).toBe('arn:aws:iam::123456789012:oidc-provider/stack-Provider');
    expect(references.ref('AWS::AccountId')).toBe('123456789012');
  });

  test('that are missing or unknown are refused', () => {
    expect(() => references.ref('Nothing')).toThrow('The template has no resource Nothing.');
    expect(() => references.attribute('Other', 'Arn')).toThrow('Arn of Other is not known here.');
  });
});
