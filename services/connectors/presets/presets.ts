import { braze } from './braze.ts';
import { fcm } from './fcm.ts';
import { onesignal } from './onesignal.ts';
import type { Preset } from './preset.ts';
import type { PresetName } from './preset-names.contract.ts';
import { sendgrid } from './sendgrid.ts';
import { twilio } from './twilio.ts';
import { voucherify } from './voucherify.ts';
import { webhook } from './webhook.ts';

export const presets: Readonly<Record<PresetName, Preset>> = {
  webhook,
  sendgrid,
  onesignal,
  twilio,
  fcm,
  braze,
  voucherify,
};
