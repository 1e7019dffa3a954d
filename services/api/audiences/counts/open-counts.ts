/** Open counts of one account. Each count reads all users of its segments from the segmentation service. */
export const openCountsAtMost = 4;
