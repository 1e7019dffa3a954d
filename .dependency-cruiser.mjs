/**
 * The house rules of docs/architecture.md, as checks: imports go down only, adapters never see each other,
 * domain imports nothing, each vendor library has one importer.
 */
const services = '^services/';
/** What stands between a service and the world: shared by several services, or one service's own. */
const adapters = '^(shared/(kafka|postgres|http-client)|services/.+/(postgres|mysql|http))/';
/** Ports and contracts lie in the room that they are of, and say by their ending what they are. */
const ports = '^(shared/ports/|services/.+/ports/|services/.+\\.port\\.ts$)';
const contracts = '^(shared/contracts/|services/.+\\.contract\\.ts$)';
/** What a room of the API makes stores in: `clients/routes.ts` its own, `clients/parts.ts` those that other rooms use. */
const composition = '/(routes|parts)\\.ts';
const inTests = '\\.(test|conformance)\\.ts$';

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: { pathNot: '/generated/' }, to: { circular: true } },
    {
      name: 'domain-imports-nothing',
      comment:
        'Pure rules: no clock, no I/O, no other room. Only ids, digests and the calendar of time zones may come in.',
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
      comment:
        "A service's SQL may use the shared pool and statements, its HTTP the shared connections, and neither the other's.",
      severity: 'error',
      from: { path: '^services/([^/]+)/.*\\b(postgres|mysql|http)/', pathNot: inTests },
      to: { path: adapters, pathNot: '^(services/$1/.*\\b$2|shared/(postgres|http-client))/' },
    },
    {
      name: 'only-main-routes-and-parts-name-adapters',
      comment:
        'A service asks ports; its main.ts, or routes.ts and parts.ts of a room, alone decide what stands behind them. ' +
        "A room's other files may name the types of its own SQL.",
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
      comment: 'The API imports each routes.ts below its folder. What two rooms use of one is a part.',
      severity: 'error',
      from: {},
      to: { path: '^services/api/.+/routes\\.ts$' },
    },
    {
      name: 'parts-are-put-together-in-one-place',
      comment: 'A room asks for what it needs by its shape; only its routes.ts takes all parts.',
      severity: 'error',
      from: { path: '^services/api/[^/]+/', pathNot: `${composition}$|${inTests}` },
      to: { path: '^services/api/[^/]+\\.ts$' },
    },
    {
      name: 'services-do-not-see-each-other',
      comment: 'But whoever serves the console may ask where it was built.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: services, pathNot: '^services/($1/|console/built-console\\.ts$)' },
    },
    {
      name: 'services-call-under-the-guard',
      comment: 'Whatever a service calls, the address of the connection is judged: guarded-origin.ts.',
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
      comment: 'What others install knows Node and nothing of ours. The queries beside it are for the console alone.',
      severity: 'error',
      from: { path: '^sdk/', pathNot: `^sdk/((write-client|build|kits/kits)\\.ts$|generated/@tanstack/)|${inTests}` },
      to: { pathNot: '^(sdk/|(node:)?[a-z_/]+$)' },
    },
    {
      name: 'test-support-stays-in-tests',
      comment: 'But the benchmark of the console opens the browser that its tests open.',
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
      comment: 'What browsers load is made of the console alone; the generated client is its door to the rest.',
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
      comment: 'What two of them use is a part. Only the router knows them all, by their folders.',
      severity: 'error',
      from: { path: '^services/console/src/views/([^/]+)/', pathNot: '^services/console/src/views/campaign/' },
      to: { path: '^services/console/src/(views/|router|app|main)', pathNot: '^services/console/src/views/$1/' },
    },
    {
      name: 'a-campaign-is-shown-by-what-writes-it',
      comment: 'The same words, arithmetic and next fires before and after it was started.',
      severity: 'error',
      from: { path: '^services/console/src/views/campaign/' },
      to: {
        path: '^services/console/src/(views/|router|app|main)',
        pathNot: '^services/console/src/views/(campaign|new-campaign)/',
      },
    },
    {
      name: 'routes-of-the-console-load-their-views-lazily',
      comment: 'Route files are part of the first chunk, so whatever they import is.',
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

/** The rooms of the console, each above those that it may use: api, live, parts, frame, views. */
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
