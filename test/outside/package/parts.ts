/** Software that the tests of the package install, each at one version. */
export const PARTS = {
  /** The Nodes that `engines` allows, the newest of each major version. */
  nodes: { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' },
  publint: '0.3.25',
  attw: '0.18.5',
  actionlint: { module: 'github.com/rhysd/actionlint/cmd/actionlint', version: 'v1.7.12' },
  /** Parses the language of Terraform. */
  hclfmt: { module: 'github.com/hashicorp/hcl/v2/cmd/hclfmt', version: 'v2.25.0' },
} as const;

export type NodeMajor = keyof typeof PARTS.nodes;
