import { describeWholeJourney } from './support/whole-journey.ts';

describeWholeJourney([
  { name: '1440 px, light', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: '390 px, dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
]);
