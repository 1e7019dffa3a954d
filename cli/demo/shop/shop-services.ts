import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startInbox, type Inbox } from '../../inbox/inbox.ts';
import { count } from '../../show/numbers.ts';
import type { CalledServices, CalledServicesPlan } from '../installation/called-services.ts';
import { fillShop } from './shop-database.ts';
import { connectorsFile, shopEngineConfig, shopEngineSettings } from './shop-settings.ts';

export interface Shop extends CalledServices {
  databaseUrl: string;
  inbox: Inbox;
}

/** A shop's database, a mail server, and the connectors that make them services which Muster calls. */
export const shopServices: CalledServicesPlan<Shop> = {
  engineConfig: shopEngineConfig,
  open: async ({ users, room, folder, stages }) => {
    const databaseUrl = await stages.run('shop', async () => {
      const url = await room.addDatabase('shop');
      const orders = await fillShop(url, users);
      return { result: url, outcome: `${count(users)} customers and ${count(orders)} orders in a database of its own` };
    });
    const file = join(folder, 'connectors.json');
    await writeFile(file, JSON.stringify(connectorsFile, undefined, 2));
    const inbox = await startInbox(folder);
    return {
      databaseUrl,
      inbox,
      environment: { CONNECTORS_AUTHORIZATION: `Bearer ${randomBytes(16).toString('hex')}`, ...shopEngineSettings },
      process: ({ port, healthPort, apiUrl, apiKey }) => ({
        service: 'connectors',
        environment: {
          CONNECTORS_CONFIG: file,
          CONNECTORS_PORT: String(port),
          CONNECTORS_API_URL: apiUrl,
          CONNECTORS_API_KEY: apiKey,
          SHOP_DATABASE_URL: databaseUrl,
          SHOP_SMTP_URL: inbox.smtpUrl,
          SHOP_MAIL_SECRET: randomBytes(32).toString('hex'),
          HEALTH_PORT: String(healthPort),
        },
        readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
      }),
      close: () => inbox.close(),
    };
  },
};
