/** Of one account: each asks the segmentation service for all of its users. */
export const openCountsAtMost = 4;
