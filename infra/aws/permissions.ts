/**
 * The permissions of a linked function. SST's own links allow every action on the resource, deleting it included; these
 * allow the calls of the three stores in core (table, blobs, queues). `Scan` is for operators, never for a function.
 */
sst.Linkable.wrap(sst.aws.Dynamo, (table) => ({
  properties: { name: table.name },
  include: [
    sst.aws.permission({
      actions: [
        "dynamodb:BatchGetItem",
        "dynamodb:BatchWriteItem",
        "dynamodb:ConditionCheckItem",
        "dynamodb:DeleteItem",
        "dynamodb:GetItem",
        "dynamodb:PutItem",
        "dynamodb:Query",
        "dynamodb:UpdateItem",
      ],
      resources: [table.arn, $interpolate`${table.arn}/index/*`],
    }),
  ],
}));

sst.Linkable.wrap(sst.aws.Bucket, (bucket) => ({
  properties: { name: bucket.name },
  include: [
    sst.aws.permission({
      actions: [
        "s3:AbortMultipartUpload",
        "s3:DeleteObject",
        "s3:GetObject",
        // Without it a missing object answers 403 in place of 404.
        "s3:ListBucket",
        "s3:PutObject",
      ],
      resources: [bucket.arn, $interpolate`${bucket.arn}/*`],
    }),
  ],
}));

sst.Linkable.wrap(sst.aws.Queue, (queue) => ({
  properties: { url: queue.url },
  include: [sst.aws.permission({ actions: ["sqs:SendMessage"], resources: [queue.arn] })],
}));
