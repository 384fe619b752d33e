import clone from '../package.json' with { type: 'json' };

const { name, version, description, keywords, license, engines, peerDependencies } = clone;

/** The `package.json` of the package. The clone has one of its own, which is private. */
export const MANIFEST = {
  name,
  version,
  description,
  keywords,
  license,
  // The bundles are CommonJS, because an app that `cdk init` made is CommonJS, and its jest cannot load ES modules.
  type: 'commonjs',
  main: 'package/construct.js',
  types: 'package/construct.d.ts',
  exports: {
    '.': { types: './package/construct.d.ts', default: './package/construct.js' },
    './package.json': './package.json',
  },
  bin: { connectorctl: 'package/connectorctl.js' },
  publishConfig: { access: 'public', provenance: true },
  engines,
  peerDependencies,
};
