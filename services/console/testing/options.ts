import type { ParameterOptionList } from '#client/types.gen.ts';

/** Options of the team that gives rewards. */
export const rewardOptions: ParameterOptionList = {
  items: [
    { value: 'ride-5', label: 'Ride, 5 off', description: 'Off one ride', countries: null, usedBy: 3 },
    { value: 'airport-15', label: 'Airport ride, 15 off', description: null, countries: ['SG'], usedBy: 0 },
  ],
  more: false,
  from: 'endpoint',
  unavailable: null,
};
