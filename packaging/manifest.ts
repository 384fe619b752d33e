import clone from '../package.json' with { type: 'json' };

const { name, version, description, keywords, license, engines, peerDependencies } = clone;

/**
 * Address of the repository. The release workflow writes it into `package.json`, because a clone
 * does not know its address.
 */
const { repository } = clone as { readonly repository?: object };

/**
 * The `package.json` of the package. The `package.json` of the clone is another file, which is
 * private.
 */
export const MANIFEST = {
  name,
  version,
  description,
  keywords,
  license,
  ...(repository && { repository }),
  // The bundles are CommonJS, because an app that `cdk init` made is CommonJS, and its jest cannot
  // load ES modules.
  type: 'commonjs',
  main: 'packaging/construct.js',
  types: 'packaging/construct.d.ts',
  exports: {
    '.': { types: './packaging/construct.d.ts', default: './packaging/construct.js' },
    './package.json': './package.json',
  },
  bin: { connectorctl: 'packaging/connectorctl.js' },
  publishConfig: { access: 'public', provenance: true },
  engines,
  peerDependencies,
};
