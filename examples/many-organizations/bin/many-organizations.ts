#!/usr/bin/env node
import * as cdk from 'aws-cdk-lib/core';
import { type Organization, OrganizationStack, SharedStack } from '../lib/organization-stack';

const ORGANIZATIONS: readonly Organization[] = [
  { name: 'acme', dnsBlocksPath: '/v1/dns-blocks' },
  { name: 'globex' },
  { name: 'initech' },
];

const app = new cdk.App();
const { alarmTopic } = new SharedStack(app, 'SecurityData-shared');
for (const organization of ORGANIZATIONS) {
  const bucketPrefix = 'acme-security-data';
  new OrganizationStack(app, `SecurityData-${organization.name}`, { organization, alarmTopic, bucketPrefix });
}
