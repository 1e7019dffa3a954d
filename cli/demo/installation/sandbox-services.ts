import { randomBytes } from 'node:crypto';
import type { CalledServices, CalledServicesPlan } from './called-services.ts';
import { demoEngineConfig, engineSettings, receiptsSecretEnv, sandboxSettings } from './demo-settings.ts';

/** The sandbox, which plays all called services. */
export const sandboxServices: CalledServicesPlan<CalledServices> = {
  engineConfig: demoEngineConfig,
  open: ({ users }) => {
    const receiptsSecret = `whsec_${randomBytes(32).toString('base64')}`;
    return Promise.resolve({
      environment: { [receiptsSecretEnv]: receiptsSecret, ...engineSettings },
      process: ({ port, url, apiUrl }) => ({
        service: 'sandbox',
        environment: {
          ...sandboxSettings(users),
          SANDBOX_PORT: String(port),
          SANDBOX_RECEIPTS_URL: `${apiUrl}/v1/receipts`,
          SANDBOX_RECEIPTS_SECRET: receiptsSecret,
        },
        readyUrl: `${url}/readyz`,
      }),
      close: () => Promise.resolve(),
    });
  },
};
