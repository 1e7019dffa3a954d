/**
 * Checks of the rules in docs/architecture.md: imports go only to lower layers, adapters do not import each other,
 * domain imports nothing, and each vendor library has one importer.
 */
const services = '^services/';
/** Adapters, which connect a service to other systems: shared ones, and those of one service. */
const adapters = '^(shared/(kafka|postgres|http-client)|services/.+/(postgres|mysql|http))/';
/** Ports and contracts lie in the folder of their subject; the end of the file name marks their kind. */
const ports = '^(shared/ports/|services/.+/ports/|services/.+\\.port\\.ts$)';
const contracts = '^(shared/contracts/|services/.+\\.contract\\.ts$)';
/** Files in which a folder of the API creates stores: `routes.ts` its own, `parts.ts` those of several folders. */
const composition = '/(routes|parts)\\.ts';
const inTests = '\\.(test|conformance)\\.ts$';

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: { pathNot: '/generated/' }, to: { circular: true } },
    {
      name: 'domain-imports-nothing',
      comment: 'The domain is pure: no clock, no I/O, no other folder. It may import only ids, digests and time zones.',
      severity: 'error',
      from: { path: '^shared/domain/', pathNot: inTests },
      to: { pathNot: '^(shared/domain/|node_modules/(typeid-js|uuid|temporal-polyfill)/|(node:)?crypto$)' },
    },
    {
      name: 'contracts-know-domain-only',
      severity: 'error',
      from: { path: contracts, pathNot: inTests },
      to: { pathNot: [contracts, '^(shared/domain/|node_modules/(zod|temporal-polyfill)/)'] },
    },
    {
      name: 'ports-know-domain-and-contracts-only',
      severity: 'error',
      from: { path: ports },
      to: { pathNot: [ports, contracts, '^shared/domain/'] },
    },
    {
      name: 'adapters-do-not-see-each-other',
      severity: 'error',
      from: { path: '^shared/(kafka|postgres|http-client)/', pathNot: inTests },
      to: { path: adapters, pathNot: '^shared/$1/' },
    },
    {
      name: 'adapters-of-a-service-stay-with-their-kind',
      comment: 'SQL of a service may use the shared pool and statements; its HTTP may use the shared connections.',
      severity: 'error',
      from: { path: '^services/([^/]+)/.*\\b(postgres|mysql|http)/', pathNot: inTests },
      to: { path: adapters, pathNot: '^(services/$1/.*\\b$2|shared/(postgres|http-client))/' },
    },
    {
      name: 'only-main-routes-and-parts-name-adapters',
      comment:
        'Services use ports. Only main.ts, and routes.ts and parts.ts of a folder, choose their adapters. ' +
        'Other files of the folder may import the types of its own SQL.',
      severity: 'error',
      from: {
        path: services,
        pathNot: `(/main\\.ts|${composition}|${inTests})$|/(postgres|mysql|http)/|^services/sandbox/`,
      },
      to: { path: adapters, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'types-of-adapters-stay-in-their-room',
      severity: 'error',
      from: {
        path: '^services/([^/]+)/([^/]+)',
        pathNot: `(/main\\.ts|${inTests})$|/(postgres|http)/|^services/sandbox/`,
      },
      to: { path: adapters, pathNot: '^services/$1/$2/.*postgres/', dependencyTypes: ['type-only'] },
    },
    {
      name: 'routes-and-parts-name-the-sql-of-their-own-room',
      severity: 'error',
      from: { path: `^services/(.+)${composition}$` },
      to: { path: '^services/.+/(postgres|http)/', pathNot: '^services/$1/' },
    },
    {
      name: 'routes-files-are-found-not-imported',
      comment: 'The API imports each routes.ts below its folder. Code that two folders use belongs into parts.ts.',
      severity: 'error',
      from: {},
      to: { path: '^services/api/.+/routes\\.ts$' },
    },
    {
      name: 'parts-are-put-together-in-one-place',
      comment: 'A folder declares the type of what it needs; only its routes.ts receives all parts.',
      severity: 'error',
      from: { path: '^services/api/[^/]+/', pathNot: `${composition}$|${inTests}` },
      to: { path: '^services/api/[^/]+\\.ts$' },
    },
    {
      name: 'services-do-not-see-each-other',
      comment: 'Exception: a service that serves the console may import the path of the build.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: services, pathNot: '^services/($1/|console/built-console\\.ts$)' },
    },
    {
      name: 'services-call-under-the-guard',
      comment: 'The egress rules have to check the address of each connection of a service: use guarded-origin.ts.',
      severity: 'error',
      from: { path: services },
      to: { path: '^shared/http-client/(http-dispatch|guarded-connector)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'shared-does-not-see-services',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(services|cli|benchmarks)/' },
    },
    {
      name: 'the-library-stands-alone',
      comment: 'The installed SDK may import only Node. The generated queries beside it are only for the console.',
      severity: 'error',
      from: { path: '^sdk/', pathNot: `^sdk/((write-client|build|kits/kits)\\.ts$|generated/@tanstack/)|${inTests}` },
      to: { pathNot: '^(sdk/|(node:)?[a-z_/]+$)' },
    },
    {
      name: 'test-support-stays-in-tests',
      comment: 'Exception: the benchmark of the console opens the browser of the tests.',
      severity: 'error',
      from: { path: '^(services|cli|shared|benchmarks|sdk)/', pathNot: `${inTests}|^benchmarks/console/` },
      to: { path: '^test/' },
    },
    {
      name: 'the-benchmark-of-the-console-takes-the-browser-alone',
      severity: 'error',
      from: { path: '^benchmarks/console/' },
      to: { path: '^test/', pathNot: '^test/browser/support/launch-browser\\.ts$' },
    },
    {
      name: 'the-console-knows-the-api-by-its-client-only',
      comment: 'Browsers load only code of the console, and the generated client through which it calls the API.',
      severity: 'error',
      from: { path: '^services/console/src/' },
      to: {
        path: '^(services|shared|cli|sdk|test|benchmarks|migrations)/',
        pathNot: '^(services/console/(src|testing)|sdk/generated)/',
      },
    },
    {
      name: 'fixtures-of-the-console-are-for-its-tests',
      severity: 'error',
      from: { path: '^services/console/src/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^services/console/testing/' },
    },
    {
      name: 'views-of-the-console-do-not-see-each-other',
      comment: 'Code that two views use belongs into parts. Only the router imports all views, by their folders.',
      severity: 'error',
      from: { path: '^services/console/src/views/([^/]+)/', pathNot: '^services/console/src/views/campaign/' },
      to: { path: '^services/console/src/(views/|router|app|main)', pathNot: '^services/console/src/views/$1/' },
    },
    {
      name: 'a-campaign-is-shown-by-what-writes-it',
      comment: 'The page of a campaign and its editor share texts, arithmetic and the preview of next fires.',
      severity: 'error',
      from: { path: '^services/console/src/views/campaign/' },
      to: {
        path: '^services/console/src/(views/|router|app|main)',
        pathNot: '^services/console/src/views/(campaign|new-campaign)/',
      },
    },
    {
      name: 'routes-of-the-console-load-their-views-lazily',
      comment: 'Route files are part of the first chunk, and so is everything that they import.',
      severity: 'error',
      from: { path: '^services/console/src/views/.+[/-]route\\.ts$' },
      to: { path: '^services/console/src/(views|parts)/.+\\.tsx$', dynamic: false },
    },
    layer('api', 'live|parts|frame|views'),
    layer('theme', 'api|live|parts|frame|views'),
    layer('live', 'parts|frame|views'),
    layer('parts', 'frame|views'),
    layer('frame', 'views'),
    vendor('kafkajs', '^shared/kafka/'),
    vendor('pg', '^shared/(postgres|infrastructure)/|^services/.+/postgres/|^services/sandbox/|^benchmarks/'),
    vendor('pg-copy-streams', '^services/.+/postgres/'),
    vendor('mysql2', '^services/.+/mysql/'),
    vendor('knex', '^shared/postgres/|^migrations/|^services/sandbox/'),
    vendor('undici', '^shared/http-client/|^services/.+/http/|^benchmarks/'),
    vendor('nodemailer', '^shared/smtp/'),
    vendor('fastify', '^services/(api|connectors|sandbox)/|^benchmarks/accept/'),
    vendor('testcontainers', '^shared/infrastructure/'),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(services/console|sdk)/dist' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};

/** Returns the rule that a folder of the console imports no folder above it: api, live, parts, frame, views. */
function layer(room, above) {
  return {
    name: `the-console's-${room}-knows-nothing-above-it`,
    severity: 'error',
    from: { path: `^services/console/src/${room}/` },
    to: { path: `^services/console/src/(${above})/` },
  };
}

function vendor(name, allowed) {
  return {
    name: `only-one-room-imports-${name}`,
    severity: 'error',
    from: { pathNot: `(${allowed})|\\.test\\.ts$|^test/` },
    to: { path: `^node_modules/(@types/)?${name}/` },
  };
}
