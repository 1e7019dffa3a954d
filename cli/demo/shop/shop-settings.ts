import { engineConfig, type EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';

const countries = ['SG', 'ID', 'VN'];

/** Selects customers who ordered before, but not within the last 90 days. */
export const lapsedQuery = `select c.id as user_id, c.country
from customers c join orders o on o.customer_id = c.id
group by c.id
having max(o.placed_at) < now() - interval '90 days'`;

const bestQuery = `select c.id as user_id, c.country
from customers c join orders o on o.customer_id = c.id
where o.placed_at > now() - interval '1 year'
group by c.id
having sum(o.amount) >= 150`;

/** The demo campaign: points, then a mail to the customers who received them. */
export const shopCampaign = {
  name: 'Lapsed customers',
  countries,
  audience: { include: [{ segment: 'lapsed-customers' }] },
  chain: [
    { action: 'award-points', params: { points: 50 }, unitsPerUser: 50 },
    { action: 'send-offer', params: { offer: 'free delivery' } },
  ],
  schedule: { type: 'now' as const },
};

/** Contents of `connectors.json`: an example of what a team writes for its own database. */
export const connectorsFile = {
  databases: { shop: { urlEnv: 'SHOP_DATABASE_URL', maxConnections: 10 } },
  segments: {
    'lapsed-customers': {
      name: 'Lapsed customers',
      description: 'Ordered before, and not within 90 days',
      database: 'shop',
      query: lapsedQuery,
    },
    'best-customers': {
      name: 'Best customers',
      description: 'Orders of 150 or more within a year',
      database: 'shop',
      query: bestQuery,
    },
  },
  actions: {
    'award-points': {
      database: 'shop',
      statements: [
        `insert into points (run, customer_id, points)
         select :run, c.id, (:params->>'points')::int from customers c
         where c.id = any(:users) and not c.is_closed
         returning customer_id as user_id`,
      ],
      failureCode: 'account-closed',
    },
    'send-offer': {
      email: {
        from: 'The Shop <news@shop.example>',
        subject: '{{ user.name }}, we miss you: {{ params.offer }}',
        html:
          '<html><body style="margin:0;background:#f4f1ea;font:16px/1.5 Georgia,serif;color:#222">' +
          '<div style="max-width:32rem;margin:0 auto;padding:2rem 1.5rem;background:#fff">' +
          '<h1 style="margin:0 0 1rem;font-size:1.5rem">Hello {{ user.name }},</h1>' +
          '<p>your last order was on {{ user.last_order }}. We have added 50 points to your account, ' +
          'and your next order comes with <strong>{{ params.offer }}</strong>.</p>' +
          '<p style="color:#666;font-size:.875rem">You get this mail as a customer of The Shop.</p></div></body></html>',
        text:
          'Hello {{ user.name }},\n\nyour last order was on {{ user.last_order }}. We have added 50 points to your ' +
          'account, and your next order comes with {{ params.offer }}.\n\nYou get this mail as a customer of The Shop.\n',
      },
      users: {
        database: 'shop',
        query:
          "select c.id as user_id, c.email, c.name, to_char(max(o.placed_at), 'DD Mon YYYY') as last_order " +
          'from customers c join orders o on o.customer_id = c.id where c.id = any(:users) group by c.id',
      },
      smtp: { urlEnv: 'SHOP_SMTP_URL', maxConnections: 20 },
      secretEnv: 'SHOP_MAIL_SECRET',
    },
  },
};

/**
 * Settings that detect a killed worker early. Leases are twice as long as the default timeout of calls, the shortest
 * that is allowed.
 */
export const shopEngineSettings = { WORKER_LEASE_MS: '20000', KAFKA_SESSION_TIMEOUT_MS: '6000' };

/** @param connectorsUrl base URL of the connectors */
export function shopEngineConfig(connectorsUrl: string): EngineConfig {
  const authorizationEnv = 'CONNECTORS_AUTHORIZATION';
  const urlOf = (action: string) => `${connectorsUrl}/v1/actions/${action}/batches`;
  const common = { authorizationEnv, understandsTest: true, concurrency: 4 };
  return engineConfig.parse({
    countries,
    segmentation: { url: connectorsUrl, authorizationEnv, pageSize: 5000 },
    actionTypes: {
      'award-points': {
        ...common,
        title: 'Give points',
        description: 'Adds points to the customer’s account in the shop’s database.',
        url: urlOf('award-points'),
        class: 'A',
        price: '0.01',
        paramsSchema: {
          type: 'object',
          required: ['points'],
          properties: { points: { type: 'integer', minimum: 1, maximum: 10_000, description: 'For each customer' } },
          additionalProperties: false,
          examples: [{ points: 50 }],
        },
      },
      'send-offer': {
        ...common,
        title: 'Send an offer',
        description: 'Sends an e-mail through the shop’s mail server.',
        url: urlOf('send-offer'),
        previewUrl: `${connectorsUrl}/v1/actions/send-offer/preview`,
        class: 'B',
        receipts: true,
        paramsSchema: {
          type: 'object',
          required: ['offer'],
          properties: { offer: { type: 'string', minLength: 1, maxLength: 100, description: 'In the subject, too' } },
          additionalProperties: false,
          examples: [{ offer: 'free delivery' }],
        },
      },
    },
    replicationFactor: 1,
  });
}
