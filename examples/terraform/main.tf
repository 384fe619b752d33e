variable "artifact_bucket" {
  description = "Bucket in the region of the connector, for the code of its function."
}

resource "aws_s3_object" "function" {
  bucket = var.artifact_bucket
  key    = "security-data-connector/${filesha256("${path.module}/function.zip")}.zip"
  source = "${path.module}/function.zip"
}

resource "aws_cloudformation_stack" "connector" {
  name          = "security-data-connector-acme"
  template_body = file("${path.module}/security-data-connector.template.json")
  capabilities  = ["CAPABILITY_NAMED_IAM"]

  parameters = {
    ConnectorName  = "acme"
    BaseUrl        = "https://api.security-data.example"
    AuthUrl        = "https://auth.security-data.example/realms/acme"
    AlarmEmail     = "on-call@acme.example"
    ArtifactBucket = aws_s3_object.function.bucket
    ArtifactKey    = aws_s3_object.function.key
  }
}

output "connector" {
  description = "Queue, bucket and policy for the SIEM, and the command that fills the secret."
  value       = aws_cloudformation_stack.connector.outputs
}
