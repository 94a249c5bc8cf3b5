"""What Director may do: approvals of origins and effects, secrets, and the policy of each tool."""
