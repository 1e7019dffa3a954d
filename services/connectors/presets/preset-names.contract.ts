export const presetNames = ['webhook', 'sendgrid', 'onesignal', 'twilio', 'fcm', 'braze', 'voucherify'] as const;

export type PresetName = (typeof presetNames)[number];
