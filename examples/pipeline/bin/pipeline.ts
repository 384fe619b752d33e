#!/usr/bin/env node
import * as cdk from 'aws-cdk-lib/core';
import { DeployRoleStack } from '../lib/deploy-role-stack';
import { PipelineStack } from '../lib/pipeline-stack';

const app = new cdk.App();
new DeployRoleStack(app, 'DeployRole', { repository: 'acme/security-data' });
new PipelineStack(app, 'SecurityData');
