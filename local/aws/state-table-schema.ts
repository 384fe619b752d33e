/** The state table's part of CreateTable, but for its name. */
export const keySchema = {
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk'].map(name => ({ AttributeName: name, AttributeType: 'S' as const })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ],
};
