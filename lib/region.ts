/** The form of a region's name, such as `eu-west-1`, `us-gov-west-1` or `eusc-de-east-1`. New regions need no change. */
export const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;
